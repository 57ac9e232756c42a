import { start } from '../lib/start';
import App from './App.svelte';

void start(App, 'market');
