/** Creates the log of the daemon. */
import pino, { type Logger } from 'pino';

/** JSON lines for a collector, or coloured lines where a person reads them at a terminal. */
export function createLog(level: string): Logger {
  if (process.stdout.isTTY) return pino({ level, transport: { target: 'pino-pretty' } });
  return pino({
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
}
