/** `soprano completion`: scripts by which shells complete the command line, made of the program's own commands. */

import { Argument, type Command, type Option } from "commander";
import type { Io } from "./options.ts";

/** A command and what may follow it. */
interface Node {
  /** `/keys/create`; empty for the program. */
  path: string;
  description: string;
  commands: readonly string[];
  options: readonly Option[];
}

/** The program and all its commands, as --help shows them. */
function nodesOf(command: Command, path = ""): Node[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((one) => one.name() !== "help");
  const own: Node = {
    path,
    description: command.description(),
    commands: commands.map((one) => one.name()),
    options: help.visibleOptions(command),
  };
  return [own, ...commands.flatMap((one) => nodesOf(one, `${path}/${one.name()}`))];
}

const flagsOf = ({ short, long }: Option) => [long, short].filter((flag) => flag !== undefined && flag !== null);
const takesValue = ({ required, optional }: Option) => required || optional;
/** In single quotes, for any of the three shells. */
const quoted = (text: string, quote: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", quote)}'`;

/**
 * A function for bash or zsh, which differ in how words are read and offered.
 *
 * @param offer the line that offers words
 * @param files the line that offers files
 */
function functionOf(
  nodes: readonly Node[],
  [words, before, current]: string[],
  offer: (words: string) => string,
  files: string,
): string {
  const lines = (rows: readonly string[]) => rows.map((row) => `    ${row}`).join("\n");
  const ways = nodes.filter(({ path }) => path !== "").map(({ path }) => `${path}) at=${path} ;;`);
  const values = nodes.flatMap(({ path, options }) =>
    options.filter(takesValue).map((option) => {
      const patterns = flagsOf(option).map((flag) => `"${path} ${flag}"`);
      const answer = option.argChoices ? offer(option.argChoices.join(" ")) : files;
      return `${patterns.join("|")}) ${answer}; return ;;`;
    }),
  );
  const flags = nodes.map(({ path, options }) => `"${path}") ${offer(options.flatMap(flagsOf).join(" "))} ;;`);
  const names = nodes
    .filter(({ commands }) => commands.length > 0)
    .map(({ path, commands }) => `"${path}") ${offer(commands.join(" "))} ;;`);
  return `_soprano() {
  local at= word
  for word in ${words}; do
    case "$at/$word" in
${lines(ways)}
    esac
  done
  case "$at ${before}" in
${lines(values)}
  esac
  if [[ ${current} == -* ]]; then
    case "$at" in
${lines(flags)}
    esac
  else
    case "$at" in
${lines([...names, `*) ${files} ;;`])}
    esac
  fi
}`;
}

function bashScript(nodes: readonly Node[]): string {
  const places = [`"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`, `\${COMP_WORDS[COMP_CWORD-1]}`, `"\${COMP_WORDS[COMP_CWORD]}"`];
  const offer = (words: string) => `COMPREPLY=($(compgen -W "${words}" -- "\${COMP_WORDS[COMP_CWORD]}"))`;
  // Where nothing is offered, bash offers files.
  return `${functionOf(nodes, places, offer, "COMPREPLY=()")}\ncomplete -o default -F _soprano soprano\n`;
}

function zshScript(nodes: readonly Node[]): string {
  const places = [`\${words[2,CURRENT-1]}`, `\${words[CURRENT-1]}`, "$PREFIX"];
  const script = functionOf(nodes, places, (words) => `compadd -- ${words}`, "_files");
  return `#compdef soprano\n${script}\ncompdef _soprano soprano\n`;
}

function fishScript(nodes: readonly Node[]): string {
  const text = (words: string) => quoted(words, "\\'");
  const lines = nodes.flatMap(({ path, commands, options }) => {
    const seen = path.split("/").slice(1);
    const none = commands.length > 0 ? [`not __fish_seen_subcommand_from ${commands.join(" ")}`] : [];
    const where = [...seen.map((name) => `__fish_seen_subcommand_from ${name}`), ...none].join("; and ");
    const begin = `complete -c soprano${where === "" ? "" : ` -n ${text(where)}`}`;
    const names = commands.map((name) => {
      const { description } = nodes.find((node) => node.path === `${path}/${name}`)!;
      return `${begin} -f -a ${name} -d ${text(description)}`;
    });
    const flags = options.map(({ short, long, argChoices, description, ...option }) => {
      const forms = [...(long ? [`-l ${long.slice(2)}`] : []), ...(short ? [`-s ${short.slice(1)}`] : [])];
      const value = argChoices
        ? ` -x -a ${text(argChoices.join(" "))}`
        : option.required || option.optional
          ? " -r"
          : "";
      return `${begin} ${forms.join(" ")}${value} -d ${text(description)}`;
    });
    return [...names, ...flags];
  });
  return `${lines.join("\n")}\n`;
}

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export function addCompletion(program: Command, io: Io): void {
  program
    .command("completion")
    .description("print what makes a shell complete this command line")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SHELLS)))
    .action((shell: keyof typeof SHELLS) => {
      io.stdout.write(SHELLS[shell](nodesOf(program)));
    });
}
