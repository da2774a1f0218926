/** Reads the `data:` lines of server-sent events from pieces of bytes (WHATWG HTML, section 9.2). */

/** Calls `onEvent` with the data of each event. Only one-line data occurs in model streams; comments are left out. */
export function createEventLines(onEvent: (data: string) => void): (piece: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (piece) => {
    rest = Buffer.concat([rest, piece]);
    const end = rest.lastIndexOf(0x0a) + 1;
    const text = rest.subarray(0, end).toString('utf8');
    rest = rest.subarray(end);
    for (const line of text.split(/\r?\n/)) {
      if (line.startsWith('data:')) onEvent(line.slice('data:'.length).trim());
    }
  };
}
