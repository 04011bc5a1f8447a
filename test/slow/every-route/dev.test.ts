import { everyRoute } from './suite.ts';
import { openDev } from './target.ts';

everyRoute('treadle dev', openDev);
