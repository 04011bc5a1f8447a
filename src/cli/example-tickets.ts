import { fileURLToPath } from 'node:url';

/** The tickets that come with Treadle, wherever it is installed. */
export const exampleTickets = fileURLToPath(new URL('../../examples/tickets.csv', import.meta.url));
