import { start } from '../lib/start';
import App from './App.svelte';
import { messages } from './messages';

void start(App, 'member', messages);
