import { everyView } from './lib/access.mjs';
import { suite } from './lib/suite.mjs';
import { prepare } from './lib/views.mjs';

everyView(suite(prepare), 'narrow');
