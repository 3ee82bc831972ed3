/** Detects the images that models accept by their first bytes. */

const startsWith = (bytes: Uint8Array, text: string, offset = 0): boolean =>
  Buffer.from(bytes.subarray(offset, offset + text.length)).toString("latin1") === text

/** Returns the MIME type; undefined for anything but JPEG, PNG, GIF and WebP. */
export const imageTypeOf = (bytes: Uint8Array): string | undefined => {
  if (startsWith(bytes, "\x89PNG\r\n\x1a\n")) return "image/png"
  if (startsWith(bytes, "\xff\xd8\xff")) return "image/jpeg"
  if (startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a")) return "image/gif"
  return startsWith(bytes, "RIFF") && startsWith(bytes, "WEBP", 8) ? "image/webp" : undefined
}
