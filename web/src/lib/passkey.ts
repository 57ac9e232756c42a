import { api, unwrap } from './api';
import { ApiError } from './errors';

// What a browser and its authenticator do; the server makes the challenges and judges the answers.

export interface Proof {
  attempt_id: string;
  credential: Record<string, unknown>;
}
interface Challenge {
  attempt_id: string;
  options: Record<string, unknown>;
}

/** Whether this browser has passkeys for this address: they belong to host names, so there are none for an IP address. */
export const passkeysWork =
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential && isSecureContext && !/^[\d.]+$|^\[/.test(location.hostname);

/** Has a new passkey made. */
export async function makePasskey({ attempt_id, options }: Challenge): Promise<Proof> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as unknown as PublicKeyCredentialCreationOptionsJSON);
  return answer(attempt_id, navigator.credentials.create({ publicKey }));
}

/** Has a challenge signed by one of the passkeys that there are. */
export async function signWith({ attempt_id, options }: Challenge): Promise<Proof> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as unknown as PublicKeyCredentialRequestOptionsJSON);
  return answer(attempt_id, navigator.credentials.get({ publicKey }));
}

/** Proves to the server who is here. */
export const prove = async (): Promise<Proof> => signWith(await unwrap(api.POST('/api/login/passkey/begin', { body: {} })));

async function answer(attempt_id: string, asked: Promise<Credential | null>): Promise<Proof> {
  try {
    const said = (await asked) as PublicKeyCredential;
    return { attempt_id, credential: said.toJSON() as unknown as Record<string, unknown> };
  } catch (error) {
    const known = error instanceof DOMException && error.name === 'InvalidStateError';
    throw new ApiError({ code: known ? 'passkey_known' : 'passkey_stopped', status: 0 });
  }
}
