import { everyRoute } from './suite.ts';
import { openBuilt } from './target.ts';

everyRoute('the built functions', openBuilt);
