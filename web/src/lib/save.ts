/** Hand a fetched file to the browser's own downloads. */
export function saveFile(blob: Blob, filename: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = filename;
  link.click();
  // The download reads the address after this turn; a minute is ample for any browser.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
