// Converts what mtail prints at the end of a one-shot run to rows of class, channel, count.
import { readFileSync } from 'node:fs';

interface Printed {
  readonly fails: readonly {
    readonly LabelValues?: readonly {
      readonly Labels: readonly string[];
      readonly Value: { readonly Value: number };
    }[];
  }[];
}
const text = readFileSync(0, 'utf8');
const printed = JSON.parse(text.slice(text.indexOf('{'))) as Printed;
const rows = (printed.fails[0]?.LabelValues ?? []).map(({ Labels, Value }) => `${Labels.join('\t')}\t${Value.Value}\n`);
process.stdout.write(rows.join(''));
