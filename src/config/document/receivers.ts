import { receiverDocument } from './document.ts';
import type { Reading } from './reading.ts';
import { type Secret, secretFromEnvironment, secretFromFile } from './secret.ts';

/** Who is told. */
export type ReceiverConfig =
  | { readonly id: string; readonly kind: 'alertmanager'; readonly url: string }
  | {
      readonly id: string;
      readonly kind: 'webhook';
      readonly url: string;
      /** Signs every message; undefined: not signed. */
      readonly secret: Secret | undefined;
    };

export function readReceivers(reading: Reading): readonly ReceiverConfig[] {
  reading.unique('receivers');
  return reading.entries('receivers', receiverDocument).map(({ path, value }) => {
    if (value.kind === 'alertmanager') return { id: value.id, kind: value.kind, url: value.url };
    const { id, kind, url, secret_env: name, secret_file: file } = value;
    if (name !== undefined && file !== undefined) {
      reading.note([...path, 'secret_file'], 'expected secret_env or secret_file, got both', 'keep one');
    }
    if (name === undefined && file === undefined) return { id, kind, url, secret: undefined };
    const meaning =
      name === undefined ? secretFromFile(reading.pathOf(file ?? '')) : secretFromEnvironment(name, reading.env);
    if ('ok' in meaning) return { id, kind, url, secret: meaning.ok };
    reading.note([...path, name === undefined ? 'secret_file' : 'secret_env'], meaning.no, meaning.hint);
    return { id, kind, url, secret: undefined };
  });
}
