import { mount, type Component } from 'svelte';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/controls.css';
import { asApiError } from './errors';
import { startI18n, t, type Messages } from './i18n.svelte';
import { errorText } from './words';
import { watchPresses } from './press';
import { startRouter } from './router.svelte';
import { session, type PageMode } from './session.svelte';
import { startTheme } from './theme.svelte';
import { toast } from './toasts.svelte';

/** What every surface does first: look, language, address, and who is here. */
export async function start(app: Component, mode: PageMode, own?: Messages): Promise<void> {
  startTheme();
  startRouter();
  watchPresses();
  const token = takeSignInToken();
  await startI18n(own);
  const ready = token ? signInByLink(token, mode) : session.start(mode);
  mount(app, { target: document.getElementById('app')! });
  await ready;
  session.watch();
}

/** The one-time token of a sign-in link, taken out of the address so that it is neither kept nor shared. */
function takeSignInToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get('signin') ?? '';
  if (token) history.replaceState(history.state, '', location.pathname + location.search);
  return token;
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
