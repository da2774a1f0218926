/** Hashes text with SHA-256. */

/** The module is loaded when it is first needed: that takes 4 to 12 ms, and some programs start for one answer. */
export const sha256 = (text: string): Buffer =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest();
