import { open } from './browser.mjs';

/** The views of the console, which has a listener of its own, as somebody who reviews and runs the service. */

const user = 'chief';
let password;

export function prepareConsole(server) {
  password = JSON.parse(server.run('member', 'add', user, '--json')).password;
  for (const role of ['reviewer', 'operator']) server.run('member', 'grant', user, role);
}

async function visit(page, view) {
  await page.goto(`/console?view=${view}`);
  await page.locator('main h1:visible').waitFor();
  await page.waitForLoadState('networkidle');
}

const full = (view) => ({ full: true, show: (page) => visit(page, view) });

export const consoleViews = {
  'console-sign-in': { signedOut: true, show: (page) => page.goto('/console').then(() => page.locator('input[type=password]').waitFor()) },
  'console-reviews': full('reviews'),
  'console-catalog': full('catalog'),
  'console-members': full('members'),
  'console-storage': {
    show: async (page) => {
      await visit(page, 'members');
      await page.locator('tbody tr').last().getByRole('button').last().click();
      await page.locator('dialog [role=combobox]').waitFor();
    },
  },
  'console-service': full('service'),
  'console-acts': full('acts'),
};

/** A page at the console; signed in unless the view is for those who are not. */
export async function openConsole(browser, server, view, options) {
  const page = await open(browser, server.console, options);
  if (!view.signedOut) {
    const reply = await page.request.post('/console/api/login', { data: { user_id: user, password } });
    if (!reply.ok()) throw new Error(`console login: ${reply.status()}`);
  }
  return page;
}
