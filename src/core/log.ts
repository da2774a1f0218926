/** What a room says to the operator's log. */

/** A line for the operator's log. */
export interface Log {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}
