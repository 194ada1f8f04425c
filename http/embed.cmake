# Writes one text file into a header, as arauto::http::NAME.
file(READ ${FILE} text)
file(WRITE ${OUT}.new "// Made from ${LABEL} by embed.cmake.\n#pragma once\n#include <string_view>\nnamespace arauto::http {\ninline constexpr std::string_view ${NAME} = R\"text(${text})text\";\n} // namespace arauto::http\n")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
