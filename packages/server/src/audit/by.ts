/** A person, by id and by the name of this moment; id null for the operator's command line. */
export interface By {
  id: string | null
  name: string
}
