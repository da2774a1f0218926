// Reads the event stream of a daemon for the guard's verdicts.

/** Tells of each channel that the guard has decided about, until it is aborted. */
export function readVerdicts(stream: Response, onVerdict: (channel: string) => void): { abort(): void } {
  const reader = stream.body?.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  const pump = async (): Promise<void> => {
    for (let piece = await reader?.read(); piece !== undefined && !piece.done; piece = await reader?.read()) {
      rest += decoder.decode(piece.value, { stream: true });
      const events = rest.split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        if (!event.includes('event: guard.decided')) continue;
        const channel = /"channel":"([^"]+)"/.exec(event)?.[1];
        if (channel !== undefined) onVerdict(channel);
      }
    }
  };
  pump().catch(() => undefined);
  return { abort: () => void reader?.cancel() };
}
