// What Lambda's Node runtime does inside an execution environment: loads the handler, asks for the next event, answers.
import { request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const {
  AWS_LAMBDA_RUNTIME_API: api = '',
  _HANDLER: handlerName = '',
  LAMBDA_TASK_ROOT: root = '',
} = process.env;
const [hostname = '', port = ''] = api.split(':');

/** @returns {Promise<{ headers: import('node:http').IncomingHttpHeaders, text: string }>} */
function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, method, path: `/2018-06-01/runtime/${path}` }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ headers: response.headers, text }));
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const errorOf = (error) =>
  JSON.stringify({ errorType: error?.name ?? 'Error', errorMessage: error?.message ?? String(error) });

function contextOf(headers) {
  const endsAt = Number(headers['lambda-runtime-deadline-ms']);
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: '$LATEST',
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    awsRequestId: headers['lambda-runtime-aws-request-id'],
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    getRemainingTimeInMillis: () => endsAt - Date.now(),
  };
}

const [file = '', name = ''] = handlerName.split('.');
let handler;
try {
  handler = (await import(pathToFileURL(join(root, `${file}.mjs`)).href))[name];
  if (typeof handler !== 'function') throw new Error(`${handlerName} is not a function`);
} catch (error) {
  await call('POST', 'init/error', errorOf(error));
  process.exit(1);
}

for (;;) {
  const { headers, text } = await call('GET', 'invocation/next');
  const id = headers['lambda-runtime-aws-request-id'];
  const trace = headers['lambda-runtime-trace-id'];
  if (trace === undefined) delete process.env._X_AMZN_TRACE_ID;
  else process.env._X_AMZN_TRACE_ID = String(trace);
  try {
    const answer = await handler(JSON.parse(text), contextOf(headers));
    await call('POST', `invocation/${id}/response`, JSON.stringify(answer) ?? 'null');
  } catch (error) {
    await call('POST', `invocation/${id}/error`, errorOf(error));
  }
}
