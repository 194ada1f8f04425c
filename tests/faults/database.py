"""SQL through libpq, which is there because the product needs it. One thread at a time; times come as seconds."""

import ctypes

from processes import Trouble

libpq = ctypes.CDLL("libpq.so.5")
libpq.PQconnectdb.restype = ctypes.c_void_p
libpq.PQexec.restype = ctypes.c_void_p
libpq.PQgetvalue.restype = ctypes.c_char_p
libpq.PQerrorMessage.restype = ctypes.c_char_p
libpq.PQresultErrorMessage.restype = ctypes.c_char_p
CONNECTION_OK, COMMAND_OK, TUPLES_OK = 0, 1, 2


class Database:
    def __init__(self, url):
        self.url = url
        self.link = ctypes.c_void_p(libpq.PQconnectdb(url.encode()))
        if libpq.PQstatus(self.link) != CONNECTION_OK:
            why = libpq.PQerrorMessage(self.link).decode()
            self.close()
            raise Trouble(f"database: {why}")
        self.rows("set client_min_messages = warning; set timezone = 'UTC'")

    def close(self):
        libpq.PQfinish(self.link)
        self.link = None

    def rows(self, text):
        """The rows of the last statement in `text`, each a list of str or None."""
        result = ctypes.c_void_p(libpq.PQexec(self.link, text.encode()))
        try:
            if libpq.PQresultStatus(result) not in (COMMAND_OK, TUPLES_OK):
                raise Trouble(f"database: {libpq.PQresultErrorMessage(result).decode()}")
            columns = range(libpq.PQnfields(result))
            return [[None if libpq.PQgetisnull(result, n, c) else libpq.PQgetvalue(result, n, c).decode()
                     for c in columns] for n in range(libpq.PQntuples(result))]
        finally:
            libpq.PQclear(result)

    def number(self, text):
        return float(self.rows(text)[0][0])
