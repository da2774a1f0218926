/** What programs write where nothing is wrong, until a sample of the real stream is known. */

/** Only the rarity of its bytes is used, to choose where in a literal to look. */
export const ORDINARY_TEXT: Uint8Array = Buffer.from(
  ' [info] [error] [warn] INFO ERROR WARN DEBUG time= frame= fps= size= bitrate= speed= error failed connection ' +
    '2026-11-21T20:58:36.351Z "level":30,"msg":"time":"pid":"hostname":"channel":"GET /live/ HTTP/1.1" 200 ' +
    'Mozilla/5.0 ' +
    'Opening for writing request response stream segment playlist client server upstream code status started ended ',
);
