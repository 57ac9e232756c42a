import type { Component } from 'svelte';
import { draw } from './draw';
import { ApiError, asApiError } from './errors';
import { startI18n, t, type Messages } from './i18n.svelte';
import { errorText } from './words';
import { watchPresses } from './press';
import { startRouter } from './router.svelte';
import { session, type PageMode } from './session.svelte';
import { startTheme } from './theme.svelte';
import { toast } from './toasts.svelte';

/** What every surface does first: look, language, address, and who is here, which `known` is told before it is drawn. */
export async function start(app: Component, mode: PageMode, own?: Messages, known?: (who: string) => void): Promise<void> {
  startTheme();
  startRouter();
  watchPresses();
  const { token, failed } = takeSignIn();
  const words = startI18n(own);
  const ready = token ? words.then(() => signInByLink(token, mode)) : session.start(mode, known);
  await words;
  await draw(app, ready);
  await ready;
  if (failed) toast(issuerProblem(failed), { tone: 'error' });
  session.watch();
}

/**
 * The one-time token of a sign-in link, or why a sign-in at the issuer failed, taken out of the address so that neither is
 * kept nor shared.
 */
function takeSignIn(): { token: string; failed: string } {
  const hash = new URLSearchParams(location.hash.slice(1));
  const token = hash.get('signin') ?? '';
  const failed = hash.get('signin_failed') ?? '';
  if (token || failed) history.replaceState(history.state, '', location.pathname + location.search);
  return { token, failed };
}

/** What to say of a code; the address may be anybody's, so only texts of ours are shown. */
function issuerProblem(code: string): string {
  const name = session.authInfo?.sign_in_with ?? '';
  if (code === 'invalid_credentials') return t('signin.issuerRefused', { name });
  if (code === 'permission_denied') return t('signin.accountShut');
  if (code === 'signup_closed') return t('signin.issuerUnknown', { name });
  if (code === 'service_unavailable') return t('signin.issuerAway', { name });
  return errorText(new ApiError({ code: code === 'rate_limited' ? code : 'internal_error', status: 0 }));
}

async function signInByLink(token: string, mode: PageMode): Promise<void> {
  let failure;
  try {
    await session.signInByToken(token);
  } catch (error) {
    failure = asApiError(error);
  }
  await session.start(mode);
  if (failure) toast(failure.code === 'invalid_credentials' ? t('signin.linkUsed') : errorText(failure), { tone: 'error' });
  else toast(t('signin.welcome', { user: session.userId }));
}
