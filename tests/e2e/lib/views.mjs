import { catalog } from './server.mjs';

/** Every view of the two surfaces, and how to bring it onto the screen: for screenshots and for axe. */

/** Everything that was asked for is there: nothing is loading and nothing is marked busy. */
export async function settled(page) {
  await page.locator('main h1:visible').waitFor();
  await page.waitForFunction(() => !document.querySelector('.skeleton, [aria-busy="true"]'));
}

export async function signIn(page, server) {
  const reply = await page.request.post('/api/login', { data: { user_id: server.userId, password: server.password } });
  if (!reply.ok()) throw new Error(`login: ${reply.status()} ${await reply.text()}`);
}

async function visit(page, path) {
  await page.goto(path);
  await settled(page);
}

const market = (query = '') => ({ full: true, show: (page) => visit(page, `/market${query}`) });
const member = (view) => ({ full: true, signedIn: true, show: (page) => visit(page, `/member?view=${view}`) });

const items = {
  ...(catalog ? { installed: 'academic-paper-overview', plain: 'accounting' } : { installed: 'official/careful-translator', plain: 'official/study-coach' }),
  pack: 'profile/official-starter',
};

export const views = {
  'market-list': { show: (page) => visit(page, '/market') },
  'market-search': { show: (page) => visit(page, '/market?query=translate&category=translation') },
  'market-packs': market('?show=packs'),
  'market-nothing': market('?query=zzzzqqqq'),
  'market-filters': {
    width: 'narrow',
    show: async (page) => {
      await visit(page, '/market?category=design');
      await page.locator('button.filters').click();
    },
  },
  'detail-template': market(`?item=${encodeURIComponent(items.plain)}`),
  'detail-pack': market(`?pack=${encodeURIComponent(items.pack)}`),
  'detail-gone': {
    show: (page) => {
      page.expected.push('/api/templates/detail');
      return visit(page, '/market?item=no-such-item');
    },
  },
  'detail-member': {
    full: true,
    signedIn: true,
    show: async (page) => {
      await visit(page, `/market?item=${encodeURIComponent(items.installed)}`);
      await page.locator('#prompt').locator('xpath=../..').getByRole('button').last().click();
      await settled(page);
    },
  },
  'dialog-sign-in': {
    show: async (page) => {
      await visit(page, `/market?item=${encodeURIComponent(items.plain)}`);
      await page.locator('.detail aside .button.wide').first().click();
    },
  },
  'dialog-install': {
    signedIn: true,
    show: async (page) => {
      await visit(page, `/market?item=${encodeURIComponent(items.plain)}`);
      await page.locator('.detail aside .button.wide').first().click();
      await page.locator('dialog .plan li').first().waitFor();
    },
  },
  'dialog-install-pack': {
    signedIn: true,
    show: async (page) => {
      await visit(page, `/market?pack=${encodeURIComponent(items.pack)}`);
      await page.locator('.detail aside .button.wide').first().click();
      await page.locator('dialog .plan li').first().waitFor();
    },
  },
  'member-signed-out': { show: (page) => visit(page, '/member') },
  'member-installations': member('installations'),
  'member-tasks': member('tasks'),
  'member-notifications': member('notifications'),
  'member-preferences': member('preferences'),
  'member-session': member('session'),
  'member-menu': {
    width: 'narrow',
    signedIn: true,
    show: async (page) => {
      await visit(page, '/member');
      await page.locator('button.menu').click();
    },
  },
};

/** Something to see in the member's lists. */
export async function prepare(browser, server) {
  const context = await browser.newContext({ baseURL: server.base });
  const post = async (path, data) => {
    const reply = await context.request.post(path, { data });
    if (!reply.ok()) throw new Error(`${path}: ${reply.status()} ${await reply.text()}`);
  };
  await post('/api/login', { user_id: server.userId, password: server.password });
  for (const id of [items.installed, items.pack]) await post('/api/templates/install', { template_id: id, install_options: { source_preference: 'auto' } });
  await post('/api/trial', { template_id: items.installed });
  await context.close();
}
