import type { Command, Option } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** One command as a shell completes it. */
interface Known {
  /** The words that lead to it: `batch submit`; empty for the root. */
  readonly path: string;
  readonly names: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly KnownOption[];
}

interface KnownOption {
  readonly flag: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** The script that completes the commands and options of `root` in a shell. */
export function completionScript(root: Command, shell: Shell): string {
  const all = knownIn(root, '');
  switch (shell) {
    case 'bash':
      return bash(all);
    case 'zsh':
      return `${zshStart}${bash(all)}`;
    case 'fish':
      return fish(all);
    default:
      return shell satisfies never;
  }
}

function knownIn(command: Command, path: string): readonly Known[] {
  const options = command.options.filter(({ hidden }) => !hidden).map(knownOption);
  const help = { flag: '--help', description: 'show the help', takesValue: false, choices: [] };
  const names = command.commands.map((one) => ({ name: one.name(), description: one.description() }));
  const own = { path, names, options: [...options, help] };
  return [own, ...command.commands.flatMap((one) => knownIn(one, `${path} ${one.name()}`.trim()))];
}

const knownOption = ({ long, flags, description, required, optional, argChoices }: Option): KnownOption => ({
  flag: long ?? flags,
  description,
  takesValue: required || optional,
  choices: argChoices ?? [],
});

/** zsh takes the completions of bash once it is told to. */
const zshStart = `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
autoload -Uz bashcompinit && bashcompinit
`;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The words before the cursor that are no options lead to a command; what comes next is looked up by it. */
function bash(all: readonly Known[]): string {
  const words = all.map(({ path, names, options }) => {
    const next = [...names.map(({ name }) => name), ...options.map(({ flag }) => flag)];
    return `    ${quoted(path)}) words=${quoted(next.join(' '))} ;;`;
  });
  const values = all.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(
        ({ flag, choices }) =>
          `    ${quoted(`${path} ${flag}`)}) values=${quoted(choices.join(' '))}; takes=1 ;;`,
      ),
  );
  const paths = all.map(({ path }) => quoted(path)).join('|');
  return `# Completion of treadle: eval "$(treadle completion bash)", or zsh.
_treadle() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" path='' longer word words='' values='' takes=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    longer="\${path:+$path }$word"
    case "$longer" in ${paths}) path="$longer" ;; esac
  done
  case "$path $before" in
${values.join('\n')}
  esac
  if [ -n "$takes" ]; then
    if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$current")); else COMPREPLY=($(compgen -f -- "$current")); fi
    return
  fi
  case "$path" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _treadle treadle
`;
}

function fish(all: readonly Known[]): string {
  const lines = all.flatMap(({ path, names, options }) => {
    const when = path === '' ? '__fish_use_subcommand' : conditionOf(path, names);
    return [
      ...names.map(
        ({ name, description }) =>
          `complete -c treadle -n ${quoted(when)} -f -a ${quoted(name)} -d ${quoted(description)}`,
      ),
      ...options.map(({ flag, description, takesValue, choices }) => {
        const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : takesValue ? ' -r' : '';
        const at = path === '' ? when : `__fish_seen_subcommand_from ${path.split(' ').at(-1)}`;
        return `complete -c treadle -n ${quoted(at)} -l ${flag.replace(/^--/, '')} -d ${quoted(description)}${value}`;
      }),
    ];
  });
  return `# Completion of treadle: put this file into ~/.config/fish/completions.\n${lines.join('\n')}\n`;
}

const conditionOf = (path: string, names: Known['names']): string =>
  `__fish_seen_subcommand_from ${path}; and not __fish_seen_subcommand_from ${names.map(({ name }) => name).join(' ')}`;
