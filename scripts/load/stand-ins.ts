import { startStandIns } from '../../src/local/stand-ins.ts';

/** The stand-ins on disk in a process of their own: their addresses are the one line on stdout. */
const [dataDir = '.'] = process.argv.slice(2);
const { sqsEndpoint, dynamodbEndpoint, close } = await startStandIns({ dataDir });
process.stdout.write(`${JSON.stringify({ sqsEndpoint, dynamodbEndpoint })}\n`);
await new Promise((resolve) => process.once('SIGTERM', resolve));
await close();
