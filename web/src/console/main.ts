import { mount } from 'svelte';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/controls.css';
import { startI18n } from '../lib/i18n.svelte';
import { startRouter } from '../lib/router.svelte';
import { startTheme } from '../lib/theme.svelte';
import App from './App.svelte';
import { desk } from './desk.svelte';
import { messages } from './messages';

startTheme();
startRouter();
void desk.look();
await startI18n(messages);
mount(App, { target: document.getElementById('app')! });
