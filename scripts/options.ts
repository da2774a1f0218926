/** Reads the options of a script: `--help` prints what stands at the head of its file, a wrong one what was expected. */
import { readFileSync } from 'node:fs';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';

/** Its values. Ends the process with 0 after `--help`, and with 64 for an option that there is not. */
export function optionsOf<Options extends ParseArgsOptionsConfig>(file: string, options: Options) {
  if (process.argv.slice(2).includes('--help')) {
    process.stdout.write(usageOf(file, options));
    process.exit(0);
  }
  try {
    return parseArgs({ options, strict: true }).values;
  } catch (thrown) {
    const [said] = (thrown as Error).message.split('. ');
    process.stderr.write(`${said}\n\n${usageOf(file, options)}`);
    process.exit(64);
  }
}

/** The comment at the head of the file, and each option with what it is when it is not given. */
export function usageOf(file: string, options: ParseArgsOptionsConfig = {}): string {
  const head = /^(?:\/\*\*[\s\S]*?\*\/|(?:\/\/.*\n)+)/.exec(readFileSync(file, 'utf8'))?.[0] ?? '';
  const said = head.replace(/^\/\*\*\s?|\s*\*\/$/g, '').replaceAll(/^(?: \* ?|\/\/ ?)/gm, '');
  const rows = Object.entries(options).map(([name, { type, default: standard }]) => {
    const value = type === 'string' ? ` <${standard === undefined ? 'value' : String(standard)}>` : '';
    return `  --${name}${value}\n`;
  });
  return `${said.trim()}\n${rows.length === 0 ? '' : `\nOptions, with what they are when they are not given:\n${rows.join('')}`}`;
}
