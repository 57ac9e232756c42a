import { draw } from '../lib/draw';
import { startI18n } from '../lib/i18n.svelte';
import { startRouter } from '../lib/router.svelte';
import { startTheme } from '../lib/theme.svelte';
import App from './App.svelte';
import { desk } from './desk.svelte';
import { messages } from './messages';

startTheme();
startRouter();
const looked = desk.look();
await startI18n(messages);
await draw(App, looked);
