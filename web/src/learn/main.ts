import { start } from '../lib/start';
import App from './App.svelte';
import { messages } from './messages';
import { startWorker } from './offline';

void start(App, 'member', messages).then(startWorker);
