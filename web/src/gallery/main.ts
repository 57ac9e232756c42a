import { mount } from 'svelte';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/controls.css';
import { startI18n } from '../lib/i18n.svelte';
import { watchPresses } from '../lib/press';
import { startTheme } from '../lib/theme.svelte';
import Gallery from './Gallery.svelte';

startTheme();
watchPresses();
await startI18n();
mount(Gallery, { target: document.getElementById('app')! });
