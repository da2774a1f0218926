const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let left = value;
  while (left >= 0x80) {
    bytes.push((left % 0x80) | 0x80);
    left = Math.floor(left / 0x80);
  }
  return Buffer.from([...bytes, left]);
};

const field = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
const whole = (number: number, value: number): Buffer => Buffer.concat([varint(number * 8), varint(value)]);

interface Stream {
  readonly labels: string;
  readonly entries: readonly { readonly at: number; readonly line: string }[];
}

/** Loki's `PushRequest`, by its published definition, with the stream's hash as real clients send it. */
export const pushRequest = (streams: readonly Stream[]): Buffer =>
  Buffer.concat(
    streams.map(({ labels, entries }) => {
      const each = entries.map(({ at, line }) => {
        const time = Buffer.concat([whole(1, Math.floor(at / 1_000)), whole(2, (at % 1_000) * 1_000_000)]);
        return field(2, Buffer.concat([field(1, time), field(2, Buffer.from(line))]));
      });
      return field(1, Buffer.concat([field(1, Buffer.from(labels)), ...each, whole(3, 2 ** 50)]));
    }),
  );
