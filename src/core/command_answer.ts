/** What a person's command is answered with. */

/** The answer to a command: done, or why not and what to do. */
export type CommandAnswer =
  | { readonly ok: true; readonly said: string; readonly more?: unknown }
  | {
      readonly ok: false;
      readonly because: string;
      readonly hint?: string | undefined;
      /** What kind of no it is, for programs; `target_unknown`: there is nothing of the name that was given. */
      readonly code?: string | undefined;
      readonly more?: unknown;
    };
