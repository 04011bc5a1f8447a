import {
  accuracyByField,
  type FieldAccuracy,
  type LabelledFields,
  labelledFields,
  type Share,
  shareRight,
} from './accuracy.ts';
import { type Calibration, calibrationOf } from './calibration.ts';
import { type Confusion, confusionOf } from './confusion.ts';
import { type Measured, rightInAll } from './measured.ts';
import { type Spread, spreadOf } from './spread.ts';
import { type UnseenLabel, unseenLabels } from './unseen.ts';

/** All that is measured over the cases of one run. */
export interface Figures {
  readonly cases: number;
  readonly accuracy: readonly FieldAccuracy[];
  readonly unknownFields: LabelledFields['unknown'];
  readonly unseenLabels: readonly UnseenLabel[];
  /** A case counts as right where all of these fields that it has labels for are. */
  readonly rightFields: readonly string[];
  readonly right: Share;
  readonly confusion: readonly Confusion[];
  /** Undefined where no answer says how sure it is. */
  readonly calibration: Calibration | undefined;
  readonly review: {
    readonly needed: number;
    readonly right: Share;
    readonly others: Share;
  };
  readonly perCase: {
    readonly costUsd: Spread;
    readonly steps: Spread;
    readonly tokens: Spread;
  };
  /** Cases whose jobs did not succeed, by the reason. */
  readonly notSucceeded: readonly { readonly stop: string; readonly ids: readonly string[] }[];
}

/** The fields that the agent `triage` means by its confidence. */
const usual = ['category', 'route_to'];

/** Those of the wanted fields that are measured, else those of `usual`, else all. */
export function rightFieldsOf(
  fields: readonly string[],
  wanted: readonly string[] | undefined,
): readonly string[] {
  const among = (names: readonly string[]): readonly string[] =>
    names.filter((field) => fields.includes(field));
  return [among(wanted ?? []), among(usual)].find((found) => found.length > 0) ?? fields;
}

export function figuresOf(cases: readonly Measured[], wantedRight: readonly string[] | undefined): Figures {
  const { fields, unknown } = labelledFields(cases);
  const rightFields = rightFieldsOf(fields, wantedRight);
  const isRight = (measured: Measured): boolean | undefined => rightInAll(measured, rightFields);
  const reviewed = cases.filter(({ needsReview }) => needsReview);
  const others = cases.filter(({ needsReview }) => !needsReview);
  const claims = cases.flatMap((measured) => {
    const right = isRight(measured);
    return measured.confidence === undefined || right === undefined
      ? []
      : [{ confidence: measured.confidence, right }];
  });
  return {
    cases: cases.length,
    accuracy: accuracyByField(cases, fields),
    unknownFields: unknown,
    unseenLabels: unseenLabels(cases, fields),
    rightFields,
    right: shareRight(cases, isRight),
    confusion: fields.map((field) => confusionOf(cases, field)).filter((found) => found !== undefined),
    calibration: calibrationOf(claims),
    review: {
      needed: reviewed.length,
      right: shareRight(reviewed, isRight),
      others: shareRight(others, isRight),
    },
    perCase: {
      costUsd: dollars(spreadOf(cases.map(({ costMicroUsd }) => costMicroUsd))),
      steps: spreadOf(cases.map(({ steps }) => steps)),
      tokens: spreadOf(cases.map(({ tokens }) => tokens)),
    },
    notSucceeded: stopsOf(cases),
  };
}

const dollars = ({ total, mean, median, p95, max }: Spread): Spread => ({
  ...{ total: total / 1e6, mean: mean / 1e6, median: median / 1e6 },
  ...{ p95: p95 / 1e6, max: max / 1e6 },
});

function stopsOf(cases: readonly Measured[]): Figures['notSucceeded'] {
  const byStop = new Map<string, string[]>();
  for (const { stop, id } of cases) {
    if (stop === undefined) continue;
    const ids = byStop.get(stop) ?? [];
    ids.push(id);
    byStop.set(stop, ids);
  }
  return [...byStop].map(([stop, ids]) => ({ stop, ids }));
}
