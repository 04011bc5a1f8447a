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
      return zsh(all);
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
  return `# Completion of treadle: eval "$(treadle completion bash)"
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

/** The same walk over the words before the cursor, with what each word means beside it. */
function zsh(all: readonly Known[]): string {
  const withText = (name: string, description: string): string => quoted(`${name}:${description}`);
  const words = all.map(({ path, names, options }) => {
    const commands = names.map(({ name, description }) => withText(name, description)).join(' ');
    const flags = options.map(({ flag, description }) => withText(flag, description)).join(' ');
    return `    (${quoted(path)}) names=(${commands}); flags=(${flags}) ;;`;
  });
  const values = all.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ flag, choices }) => {
        const offer = choices.length === 0 ? '_files' : `compadd -- ${choices.map(quoted).join(' ')}`;
        return `    (${quoted(`${path} ${flag}`)}) ${offer}; return ;;`;
      }),
  );
  const paths = all.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# Completion of treadle: eval "$(treadle completion zsh)"
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_treadle() {
  local at='' word longer
  local -a names flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    longer="\${at:+$at }$word"
    case "$longer" in (${paths.join('|')}) at="$longer" ;; esac
  done
  case "$at \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$at" in
${words.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then _describe -o option flags
  elif (( $#names )); then _describe command names
  else _files; fi
}
compdef _treadle treadle
`;
}

/** The same walk over the words before the cursor as in bash; what fits is asked of it alone, whatever else stands there. */
function fish(all: readonly Known[]): string {
  const paths = all.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  const lines = all.flatMap(({ path, names, options }) => {
    const at = `complete -c treadle -n ${quoted(`__treadle_at ${path}`.trim())}`;
    return [
      ...names.map(({ name, description }) => `${at} -f -a ${quoted(name)} -d ${quoted(description)}`),
      ...options.map(({ flag, description, takesValue, choices }) => {
        const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : takesValue ? ' -r' : '';
        return `${at} -l ${flag.replace(/^--/, '')} -d ${quoted(description)}${value}`;
      }),
    ];
  });
  return `# Completion of treadle: put this file into ~/.config/fish/completions.
function __treadle_at
  set -l path
  set -l words (commandline -opc)
  set -e words[1]
  for word in $words
    set -l longer (string trim -- "$path $word")
    contains -- $longer ${paths.join(' ')}; and set path $longer
  end
  test "$path" = "$argv"
end
${lines.join('\n')}
`;
}
