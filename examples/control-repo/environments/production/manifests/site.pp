# Every node gets the role that its data name.
node default {
  include lookup('role', Pattern[/\Arole::/])
}
