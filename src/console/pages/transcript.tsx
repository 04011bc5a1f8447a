import { useEffect, useState } from 'preact/hooks';
import type { Job } from '../../client.ts';
import type { Step } from '../model/step.ts';
import { textOfValue } from '../model/text.ts';
import { LongText } from '../parts/long-text.tsx';
import { useWindowRows } from '../parts/use-rows.ts';
import { StepItem } from './step-item.tsx';

const STEP_PX = 120;

interface TranscriptProps {
  readonly job: Job;
  readonly steps: readonly Step[];
}

/** What was asked, what the model said and called in each step, and what it answered. */
export function Transcript({ job, steps }: TranscriptProps) {
  const { input, output, text } = job;
  return (
    <section aria-labelledby="transcript">
      <h2 id="transcript">Transcript</h2>
      <h3>Input</h3>
      {input === '' ? <p class="soft">It is not kept.</p> : <LongText text={input} label="the input" />}
      {steps.length > 0 && <Steps steps={steps} />}
      {(output !== null || (text !== null && text !== '')) && (
        <>
          <h3>Answer</h3>
          <LongText text={output === null ? (text ?? '') : textOfValue(output)} label="the answer" />
        </>
      )}
    </section>
  );
}

function Steps({ steps }: { readonly steps: readonly Step[] }) {
  const { list, items, beforePx, afterPx, measure, scrollTo } = useWindowRows<HTMLOListElement>({
    ...{ count: steps.length, rowPx: STEP_PX, overscan: 4 },
  });
  const [target, setTarget] = useState<number | undefined>(undefined);
  useEffect(() => {
    const find = (): void => {
      const step = Number(/^#step-(\d+)$/.exec(location.hash)?.[1] ?? Number.NaN);
      const index = steps.findIndex((one) => one.step === step);
      if (index < 0) return;
      setTarget(step);
      scrollTo(index);
    };
    find();
    addEventListener('hashchange', find);
    return () => removeEventListener('hashchange', find);
  }, [steps.length]);
  return (
    <ol
      class="steps"
      ref={list}
      style={{ paddingTop: `${beforePx}px`, paddingBottom: `${Math.max(0, afterPx)}px` }}
    >
      {items.map(({ index }) => {
        const step = steps[index];
        if (step === undefined) return null;
        return (
          <li
            key={step.step}
            id={`step-${step.step}`}
            class={step.step === target ? 'target' : ''}
            data-index={index}
            ref={measure}
            aria-setsize={steps.length}
            aria-posinset={index + 1}
          >
            <StepItem step={step} />
          </li>
        );
      })}
    </ol>
  );
}
