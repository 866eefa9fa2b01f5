/** The props that every tab of the page is given. */
export interface AlertTabProps {
  slug: string
  admin: boolean
}
