"""Words that must be found nowhere but where README.md of storage says, and the places to look for them (S05, I21)."""

import ctypes
import os
import re

from database import Database, libpq
from stage import HERE

README = os.path.join(HERE, "..", "..", "storage", "README.md")


class Notification(ctypes.Structure):
    _fields_ = [("relname", ctypes.c_char_p), ("be_pid", ctypes.c_int), ("extra", ctypes.c_char_p)]


libpq.PQnotifies.restype = ctypes.POINTER(Notification)


def channels_of_the_product():
    """Every channel that a statement of the product notifies."""
    found = set()
    for directory, _, files in os.walk(os.path.join(HERE, "..", "..", "storage", "sql")):
        for name in files:
            with open(os.path.join(directory, name)) as file:
                found.update(re.findall(r"pg_notify\(\s*'(\w+)'", file.read()))
    return sorted(found)


class Listener(Database):
    """A session that hears all of them."""

    def __init__(self, url):
        super().__init__(url)
        for channel in channels_of_the_product():
            self.rows(f"listen {channel}")

    def heard(self):
        self.rows("select 1")
        libpq.PQconsumeInput(self.link)
        told = []
        while one := libpq.PQnotifies(self.link):
            told.append(one.contents.relname.decode() + " " + one.contents.extra.decode())
        return told


def documented():
    """(table, column) where message data may stand, `*` for a whole table or the end of a name."""
    with open(README) as file:
        text = re.search(r"\*\*Message data\*\*.*?(?=\n\* |\Z)", file.read(), re.S)[0]
    named = re.findall(r"`([a-z_]+)(?:\.([a-z_]+\*?))?`", text)
    return [(table, column or "*") for table, column in named]


def may_hold(allowed, table, column):
    return any(table == one and (column == name or (name.endswith("*") and column.startswith(name[:-1])))
               for one, name in allowed)


def hits_in_tables(database, personal, secret):
    """(table.column, word) where it may not stand, and how many columns were looked at."""
    allowed, wrong, looked = documented(), [], 0
    columns = database.rows("select c.table_name, c.column_name from information_schema.columns c"
                            " join information_schema.tables t using (table_schema, table_name)"
                            " where c.table_schema = 'arauto' and t.table_type = 'BASE TABLE'")
    for table, column in columns:
        looked += 1
        text = database.rows(f"select coalesce(string_agg(\"{column}\"::text, ' '), '') from arauto.\"{table}\"")[0][0]
        words = secret if may_hold(allowed, table, column) else personal + secret
        wrong += [(f"{table}.{column}", word) for word in words if word in text]
    return wrong, looked


def of_process(pid):
    """What everybody on the machine can see of it, and of its children."""
    texts = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as stat:
                parent = stat.read().rpartition(")")[2].split()[1]
            if entry != str(pid) and parent != str(pid):
                continue
            for name in ("cmdline", "environ"):
                with open(f"/proc/{entry}/{name}", "rb") as file:
                    texts.append((f"/proc/{entry}/{name}", file.read().replace(b"\0", b" ").decode(errors="replace")))
        except OSError:
            pass # it has just gone
    return texts


def logs_under(directory):
    texts = []
    for where, _, files in os.walk(directory):
        for name in files:
            if name.endswith(".log"):
                with open(os.path.join(where, name), errors="replace") as file:
                    texts.append((os.path.join(where, name), file.read()))
    return texts
