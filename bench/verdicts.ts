// Reads the event stream of a daemon for the guard's verdicts.

/** One event of the stream as it came. */
export interface StreamEvent {
  readonly type: string;
  readonly data: string;
}

/** Tells of each channel that the guard has decided about, until it is aborted. */
export const readVerdicts = (stream: Response, onVerdict: (channel: string) => void): { abort(): void } =>
  readEvents(stream, ({ type, data }) => {
    const channel = type === 'guard.decided' ? /"channel":"([^"]+)"/.exec(data)?.[1] : undefined;
    if (channel !== undefined) onVerdict(channel);
  });

/** Tells of each event, until it is aborted. */
export function readEvents(stream: Response, onEvent: (event: StreamEvent) => void): { abort(): void } {
  const reader = stream.body?.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  const pump = async (): Promise<void> => {
    for (let piece = await reader?.read(); piece !== undefined && !piece.done; piece = await reader?.read()) {
      rest += decoder.decode(piece.value, { stream: true });
      const events = rest.split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const [, type] = /^event: (.*)$/m.exec(event) ?? [];
        const [, data] = /^data: (.*)$/m.exec(event) ?? [];
        if (type !== undefined && data !== undefined) onEvent({ type, data });
      }
    }
  };
  pump().catch(() => undefined);
  return { abort: () => void reader?.cancel() };
}
