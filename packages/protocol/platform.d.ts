/**
 * The three globals of the platform that pure code uses. Every platform has them, but only platform libraries declare
 * them.
 */

declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>
}

declare class TextDecoder {
  constructor(encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean })
  decode(bytes: Uint8Array): string
}

declare const URL: { canParse(text: string): boolean }
