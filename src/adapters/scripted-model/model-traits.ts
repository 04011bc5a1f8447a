const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** What a model of the API refuses that another accepts. */
export interface ModelTraits {
  readonly forcedTools: boolean;
  readonly systemMessages: boolean;
  /** Values of `thinking.type`. */
  readonly thinking: readonly string[];
  /** Values of `output_config.effort`; empty where the model has none. */
  readonly efforts: readonly string[];
  /** Values of `output_config.effort` while thinking is off. */
  readonly effortsUnthinking: readonly string[];
}

const usual: ModelTraits = {
  forcedTools: true,
  systemMessages: false,
  thinking: ['adaptive', 'disabled'],
  efforts,
  effortsUnthinking: efforts,
};
const gentle = ['low', 'medium', 'high'];

/** The first entry that the model's id begins with counts, so longer beginnings come first. */
const byPrefix: readonly (readonly [string, Partial<ModelTraits>])[] = [
  ['claude-fable-5-', { forcedTools: false, systemMessages: true, thinking: ['adaptive'] }],
  ['claude-fable-5', { systemMessages: true, thinking: ['adaptive'] }],
  ['claude-mythos-5', { forcedTools: false, systemMessages: true, thinking: ['adaptive'] }],
  ['claude-opus-5-5', { forcedTools: false, systemMessages: true, thinking: ['adaptive'] }],
  ['claude-opus-5', { systemMessages: true, effortsUnthinking: gentle }],
  ['claude-opus-4-8', { systemMessages: true }],
  ['claude-opus-4-7', {}],
  [
    'claude-sonnet-5-5',
    {
      forcedTools: false,
      systemMessages: true,
      thinking: ['adaptive', 'between_tools'],
      effortsUnthinking: gentle,
    },
  ],
  ['claude-sonnet-5', {}],
  ['claude-haiku-5-5', { effortsUnthinking: gentle }],
  ['claude-haiku-4-5', { thinking: ['enabled', 'disabled'], efforts: [], effortsUnthinking: [] }],
];

/** What a model accepts; one that is not listed is taken for a 4.6. */
export function traitsOf(model: string): ModelTraits {
  const found = byPrefix.find(([prefix]) => model.startsWith(prefix));
  const own = found === undefined ? { thinking: ['enabled', 'adaptive', 'disabled'] } : found[1];
  return { ...usual, ...own };
}
