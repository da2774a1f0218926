// Words that follow a secret's name where it is spoken of.

/** What stands after a secret's name when it is spoken of, not shown. */
const PROSE =
  /^(?:a|an|the|is|was|not|has|had|no|to|for|of|in|on|at|by|or|and|too|must|may|can|cannot|could|should|does|did|are|were|been|from|with|without|expired|invalid|missing|required|incorrect|wrong|bad|denied|failed|failure|error|null|nil|none|undefined|true|false|yes|empty|unknown|unauthorized|forbidden|mismatch|malformed|revoked|rejected|refused|accepted|valid|ok|set|unset|hidden|redacted|signature|token|authentication|authorization|verification|unable|unexpected|please|login|server|client|user|http|https|\*+|x+|\.+)$/i;

/** Speaks of a secret and is none. */
export const isProse = (word: string): boolean => PROSE.test(word);
