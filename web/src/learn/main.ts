import { keptFor } from '../lib/session.svelte';
import { start } from '../lib/start';
import App from './App.svelte';
import { messages } from './messages';
import { startWorker } from './offline';
import { school } from './school.svelte';

school.begin(keptFor());
void start(App, 'member', messages, (who) => school.begin(who)).then(startWorker);
