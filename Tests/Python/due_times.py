"""When schedules are due, calculated without the worker: minute by minute, with Python's zoneinfo.

    due_times.py < CASES

A case is a line `ZONE|CRON|SECOND|DAYS`; the answer is a line with every due second after that one, within so many days.
Where no clock changes in that time, croniter must find the same seconds.
"""

import sys
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from croniter import croniter

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()
MINUTE = timedelta(minutes=1)


def values(text, first, last, names=()):
    """The numbers that a field allows; of the days of the week, 7 is written as 0."""
    allowed = set()
    for part in text.lower().split(","):
        body, _, step = part.partition("/")
        ends = [names.index(end) + first if end in names else int(end) for end in body.split("-") if end != "*"]
        begin = ends[0] if ends else first
        end = ends[1] if len(ends) == 2 else last if step or not ends else begin
        allowed |= {number % 7 if names is WEEKDAYS else number for number in range(begin, end + 1, int(step or 1))}
    return allowed


class Cron:
    def __init__(self, text):
        minute, hour, day, month, weekday = text.split()
        self.minutes, self.hours = values(minute, 0, 59), values(hour, 0, 23)
        self.days, self.months = values(day, 1, 31), values(month, 1, 12, MONTHS)
        self.weekdays = values(weekday, 0, 6, WEEKDAYS)
        self.either = day[0] != "*" and weekday[0] != "*"
        self.recurs = minute[0] == "*" or hour[0] == "*"

    def matches(self, time):
        if time.minute not in self.minutes or time.hour not in self.hours or time.month not in self.months:
            return False
        day, weekday = time.day in self.days, time.isoweekday() % 7 in self.weekdays
        return (day or weekday) if self.either else (day and weekday)


def due(zone, cron, start, days):
    def wall(second):
        return datetime.fromtimestamp(second, zone).replace(tzinfo=None)

    # Begun three days earlier, so that it is known what a clock has shown before.
    second = (start - 3 * 86400) // 60 * 60
    latest = wall(second)
    found = []
    while second < start + days * 86400:
        second += 60
        now = wall(second)
        if cron.recurs:
            is_due = cron.matches(now)
        else:
            # The times that the clock shows for the first time, or leaves out.
            new, is_due = latest + MINUTE, False
            while new <= now and not is_due:
                is_due = cron.matches(new)
                new += MINUTE
        latest = max(latest, now)
        if is_due and start < second < start + days * 86400:
            found.append(second)
    return found


def check(zone, text, start, days, found):
    """Compares with croniter, which knows no changes of the clock."""
    offsets = {datetime.fromtimestamp(start + day * 43200, zone).utcoffset() for day in range(-6, 2 * days + 1)}
    if len(offsets) > 1:
        return
    begin = datetime.fromtimestamp(start, zone).replace(tzinfo=None)
    times = croniter(text, begin, implement_cron_bug=True)
    for second in found:
        expected = times.get_next(datetime)
        if expected != datetime.fromtimestamp(second, zone).replace(tzinfo=None):
            sys.exit(f"{zone} {text} after {start}: {second}, and croniter finds {expected}")


for line in sys.stdin:
    name, text, start, days = line.rstrip("\n").split("|")
    zone, start, days = ZoneInfo(name), int(start), int(days)
    found = due(zone, Cron(text), start, days)
    check(zone, text, start, days, found)
    print(*found)
