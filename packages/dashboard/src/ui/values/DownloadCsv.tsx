import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'

/** Downloads what a page lists as CSV, from an address of the service. */
export const DownloadCsv = ({ href }: { href: string }) => (
  <Button component="a" variant="default" leftSection={<IconDownload size={16} aria-hidden />} href={href} download>
    Download CSV
  </Button>
)
