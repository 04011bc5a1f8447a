import { attemptsText } from '../model/attempts.ts';
import { count, duration, timeOfDay, tokensText, usd } from '../model/figures.ts';
import { ANSWER_TOOL, type Call, type Step } from '../model/step.ts';
import { oneLine, textOfValue, words } from '../model/text.ts';
import { LongText } from '../parts/long-text.tsx';
import { Text } from '../parts/text.tsx';

/** One committed reply, with the calls it asked for and what became of them. */
export function StepItem({ step }: { readonly step: Step }) {
  const { at, model, ms, text, calls, droppedMessages } = step;
  const { usage } = model;
  const tries = attemptsText(model);
  return (
    <article aria-label={`Step ${step.step}`}>
      <p class="facts">
        <b>Step {step.step}</b>
        <time dateTime={at}>{timeOfDay(at)}</time>
        <span>{usd(model.costUsd)}</span>
        <span class="soft">{words(model.stopReason)}</span>
        {tries !== '' && <span class={model.unsettledUsd > 0 ? 'warn' : 'soft'}>{tries}</span>}
      </p>
      <p class="facts soft small">
        <span>model {duration(ms.model)}</span>
        {ms.tools > 0 && <span>tools {duration(ms.tools)}</span>}
        <span>queue {duration(ms.queue)}</span>
        {ms.engine > 0 && <span>engine {duration(ms.engine)}</span>}
        <span>{tokensText(usage)}</span>
        {droppedMessages !== undefined && droppedMessages > 0 && (
          <span>{count(droppedMessages)} old messages left out</span>
        )}
      </p>
      {text !== '' && <LongText prose text={text} label={`the text of step ${step.step}`} />}
      {calls.map((call) => (
        <CallItem key={call.id} call={call} />
      ))}
    </article>
  );
}

const LINE = 90;

function CallItem({ call }: { readonly call: Call }) {
  const { name, input, output, isError, policy, ms } = call;
  const answer = name === ANSWER_TOOL && output === null;
  return (
    <details class="call">
      <summary>
        <code>
          <Text>{name}</Text>
        </code>{' '}
        <span class="soft">
          <Text>{oneLine(JSON.stringify(input), LINE)}</Text>
        </span>
        <span class={isError ? 'bad' : 'soft'}>
          {' '}
          {output === null ? (answer ? 'the answer' : 'not run yet') : isError ? 'failed' : duration(ms)}
        </span>
      </summary>
      <h4>Input{policy !== null && <span class="soft"> · {policy}</span>}</h4>
      <LongText text={textOfValue(input)} label={`the input of ${name}`} />
      {!answer && (
        <>
          <h4>Output</h4>
          {output === null ? (
            <p class="soft">None yet.</p>
          ) : (
            <LongText text={textOfValue(output)} label={`the output of ${name}`} />
          )}
        </>
      )}
    </details>
  );
}
