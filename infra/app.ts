import { readFileSync } from 'node:fs';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { TreadleStack } from './treadle-stack.ts';

const settings = JSON.parse(readFileSync(new URL('../cdk.json', import.meta.url), 'utf8'));

/** The toolkit says where to write, and wins over the flags of `cdk.json`; by itself this writes where it would. */
const app = new App({
  context: settings.context,
  ...(process.env['CDK_OUTDIR'] === undefined ? { outdir: settings.output } : {}),
});
new TreadleStack(app, 'Treadle', {
  description: 'Treadle: durable, budgeted agent loops',
});
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
