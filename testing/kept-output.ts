/**
 * The output of a program that runs beside another. It is kept until the other has ended, so that the two do not mix.
 */
export class KeptOutput {
  readonly #print: (text: string) => void
  #kept = ''
  #isPrinted = false

  constructor(print: (text: string) => void) {
    this.#print = print
  }

  write(text: string): void {
    if (this.#isPrinted) this.#print(text)
    else this.#kept += text
  }

  /** Prints what was kept. Later output is printed as it arrives. */
  release(): void {
    if (this.#isPrinted) return
    this.#isPrinted = true
    if (this.#kept !== '') this.#print(this.#kept)
    this.#kept = ''
  }
}
