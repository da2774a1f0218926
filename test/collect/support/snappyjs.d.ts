declare module 'snappyjs' {
  const snappy: { compress(plain: Uint8Array): Uint8Array };
  export default snappy;
}
